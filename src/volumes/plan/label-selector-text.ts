import { entriesOf, type Keyed } from '../../kube/text/own.ts';
/** As `decodeShape` has checked it (meta/v1 LabelSelector). */
export interface LabelSelector {
  readonly matchLabels?: Keyed<string>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** A selector as it stands in a query; empty for one that picks everything. An operator nobody knows picks nothing. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const equal = entriesOf(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    switch (operator) {
      case 'In':
        return `${key} in (${values.join(',')})`;
      case 'NotIn':
        return `${key} notin (${values.join(',')})`;
      case 'Exists':
        return key;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return `${key},!${key}`;
    }
  });
  return [...equal, ...others].join(',');
}
