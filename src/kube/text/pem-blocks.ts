/** A block of PEM text: `-----BEGIN <type>-----`, the content, `-----END <type>-----`. */
export interface PemBlock {
  readonly type: string;
  readonly body: string;
  /** The positions of the block's begin and end in the text. */
  readonly start: number;
  readonly end: number;
}

interface Marker {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the blocks of a text, in order. A begin line without its end line is skipped. Takes linear time, even when
 * many begin lines have no end line.
 */
export function pemBlocks(text: string): readonly PemBlock[] {
  const ends = new Map<string, { readonly markers: Marker[]; next: number }>();
  for (const marker of markersIn(text, '-----END ')) {
    const ofType = ends.get(marker.type);
    if (ofType === undefined) ends.set(marker.type, { markers: [marker], next: 0 });
    else ofType.markers.push(marker);
  }
  const blocks: PemBlock[] = [];
  let after = 0;
  for (const begin of markersIn(text, '-----BEGIN ')) {
    const ofType = ends.get(begin.type);
    if (begin.start < after || ofType === undefined) continue;
    let closing = ofType.markers[ofType.next];
    while (closing !== undefined && closing.start < begin.end) {
      ofType.next += 1;
      closing = ofType.markers[ofType.next];
    }
    if (closing === undefined) continue;
    const body = text.slice(begin.end, closing.start);
    blocks.push({ type: begin.type, body, start: begin.start, end: closing.end });
    after = closing.end;
  }
  return blocks;
}

const DASHES = '-----';
const TYPE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ';

function* markersIn(text: string, opening: string): Generator<Marker> {
  for (let start = text.indexOf(opening); start >= 0; start = text.indexOf(opening, start + 1)) {
    const from = start + opening.length;
    let to = from;
    while (to < text.length && TYPE.includes(text.charAt(to))) to += 1;
    if (to > from && text.startsWith(DASHES, to)) yield { type: text.slice(from, to), start, end: to + DASHES.length };
  }
}
