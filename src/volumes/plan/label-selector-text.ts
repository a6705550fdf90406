import { entriesOf, type Keyed } from '../../kube/text/own.ts';
/** The shape that `decodeShape` has checked (meta/v1 LabelSelector). */
export interface LabelSelector {
  readonly matchLabels?: Keyed<string>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Formats a selector for a query; empty when it selects everything. An unknown operator selects nothing. */
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
