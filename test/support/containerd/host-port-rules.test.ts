import { describe, expect, it } from 'vitest';
import { withoutHostPortRules } from './host-port-rules.ts';

const SAVED = `*nat
:CNI-HOSTPORT-DNAT - [0:0]
:CNI-DN-aaa - [0:0]
:CNI-DN-bbb - [0:0]
-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT
-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"ours\\" id: \\"1\\"" -m multiport --dports 80 -j CNI-DN-aaa
-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"theirs\\" id: \\"2\\"" -m multiport --dports 81 -j CNI-DN-bbb
-A CNI-DN-aaa -p tcp -m tcp --dport 80 -j DNAT --to-destination 198.18.0.2:80
COMMIT
`;

describe('taking host-port rules away', () => {
  it("removes the jumps to, and the chains of, one network's pods", () => {
    expect(withoutHostPortRules(SAVED, 'ours')).toBe(`*nat
-D CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"ours\\" id: \\"1\\"" -m multiport --dports 80 -j CNI-DN-aaa
-F CNI-DN-aaa
-X CNI-DN-aaa
COMMIT
`);
  });

  it('has nothing to do for a network without any', () => {
    expect(withoutHostPortRules(SAVED, 'our')).toBeUndefined();
  });
});
