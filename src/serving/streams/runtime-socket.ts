import { Socket } from 'node:net';
import { halfOpen } from './half-open.ts';

/**
 * A connection that is read to its end although the other end takes no more bytes. Node closes a connection at the first
 * write that fails, with all that is unread: the output of a command that ended before its input did.
 */
export class RuntimeSocket extends Socket {
  constructor() {
    super(halfOpen);
    this.setNoDelay(true);
  }

  override _write(...[chunk, encoding, done]: Parameters<Socket['_write']>): void {
    super._write(chunk, encoding, this.#unlessOpen(done));
  }

  override _writev(...[chunks, done]: Parameters<NonNullable<Socket['_writev']>>): void {
    super._writev?.(chunks, this.#unlessOpen(done));
  }

  /** Reading reports the end: every byte that came before, and then why there are no more. */
  #unlessOpen(done: (error?: Error | null) => void): (error?: Error | null) => void {
    return (error) => done(this.destroyed ? error : null);
  }
}
