import { own } from '../kube/own.ts';
import { badRequest } from './refusal.ts';

type Labels = Readonly<Record<string, string>>;
export type LabelSelector = (labels: Labels | undefined) => boolean;

const everything: LabelSelector = () => true;

/**
 * Reads a label selector as it stands in a query: requirements joined by commas, all of which must hold. `a=b`, `a==b`,
 * `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a` and `!a`, and the numeric `a>1`, `a<1`. A label that is absent satisfies
 * `!=` and `notin` (concept: labels and selectors).
 */
export function parseLabelSelector(text: string | undefined): LabelSelector {
  if (text === undefined || text.trim() === '') return everything;
  const requirements = splitOutsideParentheses(text).map((part) => parseRequirement(part.trim(), text));
  return (labels = {}) => requirements.every((holds) => holds(labels));
}

function splitOutsideParentheses(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/);
}

const KEY = '[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?';
const EXISTS = new RegExp(`^(!?)\\s*(${KEY})$`);
const COMPARED = new RegExp(`^(${KEY})\\s*(==|=|!=|>|<)\\s*([-A-Za-z0-9_.]*)$`);
const AMONG = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);

function parseRequirement(part: string, whole: string): (labels: Labels) => boolean {
  const exists = EXISTS.exec(part);
  if (exists) {
    const [, not, key = ''] = exists;
    return (labels) => Object.hasOwn(labels, key) !== (not === '!');
  }
  const compared = COMPARED.exec(part);
  if (compared) {
    const [, key = '', operator = '', value = ''] = compared;
    return comparison(key, operator, value);
  }
  const among = AMONG.exec(part);
  if (among) {
    const [, key = '', operator, list = ''] = among;
    const values = new Set(list.split(',').map((value) => value.trim()));
    const isAmong = (labels: Labels): boolean => {
      const value = own(labels, key);
      return value !== undefined && values.has(value);
    };
    return operator === 'notin' ? (labels) => !isAmong(labels) : isAmong;
  }
  throw badRequest(`unable to parse requirement: ${JSON.stringify(part)} in the selector ${JSON.stringify(whole)}`);
}

function comparison(key: string, operator: string, value: string): (labels: Labels) => boolean {
  switch (operator) {
    case '!=':
      return (labels) => own(labels, key) !== value;
    case '>':
      return (labels) => own(labels, key) !== undefined && Number(own(labels, key)) > Number(value);
    case '<':
      return (labels) => own(labels, key) !== undefined && Number(own(labels, key)) < Number(value);
    default:
      return (labels) => own(labels, key) === value;
  }
}
