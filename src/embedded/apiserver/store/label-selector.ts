import { own } from '../../../kube/text/own.ts';
import { badRequest } from './refusal.ts';

type Labels = Readonly<Record<string, string>>;
export type LabelSelector = (labels: Labels | undefined) => boolean;

const everything: LabelSelector = () => true;

/**
 * Reads a label selector from a query: requirements joined by commas, all of which must hold. `a=b`, `a==b`,
 * `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a` and `!a`, and the numeric `a>1`, `a<1`. An absent label satisfies `!=`
 * and `notin` (concept: labels and selectors).
 */
export function parseLabelSelector(text: string | undefined): LabelSelector {
  if (text === undefined || text.trim() === '') return everything;
  const requirements = splitOutsideParentheses(text).map((part) => parseRequirement(part.trim(), text));
  return (labels = {}) => requirements.every((holds) => holds(labels));
}

/** Splits at commas. A comma is inside parentheses if the next parenthesis closes. */
function splitOutsideParentheses(text: string): readonly string[] {
  const parts: string[] = [];
  let end = text.length;
  let next = '';
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const character = text.charAt(at);
    if (character === '(' || character === ')') next = character;
    if (character !== ',' || next === ')') continue;
    parts.push(text.slice(at + 1, end));
    end = at;
  }
  parts.push(text.slice(0, end));
  return parts.toReversed();
}

const EXISTS = /^(!?)\s*([A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?)$/;
const COMPARED = /^([A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?)\s*(==|=|!=|>|<)\s*([-A-Za-z0-9_.]*)$/;
const AMONG = /^([A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?)\s+(in|notin)\s*\(([^()]*)\)$/;

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
