import { assertMessage } from './assert-message.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { Envelope, FaultSeam, ReaderFault, TransportFault } from '../fault-seam.ts';
import { describeError } from '../fault.ts';
import type { Sender } from '../incarnation.ts';
import { Link, type FrameChannel } from './link.ts';
import type { Log } from '../log.ts';
import { mailOf, markOf, type Mail, type ReplyTo } from './mailbox.ts';
import {
  FRAME_ANSWER,
  FRAME_ASK,
  FRAME_FAULT,
  FRAME_INQUIRY,
  FRAME_MISSING,
  FRAME_TELL,
  Transferring,
} from './message.ts';
import type { Address, Frame, Tagged } from './message.ts';
import { MessageFaults } from './message-faults.ts';
import { PendingAsks } from './pending-asks.ts';
import { TakenQuestions } from './taken-questions.ts';
import type { TimerWheel } from '../timer-wheel.ts';

export interface PostOptions {
  readonly thread: string;
  readonly firstAskId: number;
  readonly threadOf: (to: Address) => string;
  readonly urgent: ReadonlySet<string>;
  readonly linkCredits: number | undefined;
  readonly wheel: TimerWheel;
  readonly log: Log;
  readonly deadLetters: DeadLetters;
  readonly later: (turn: () => void) => void;
  /** Puts a message into the mailbox of an actor of this thread. */
  readonly offer: (to: Address, mail: Mail) => void;
  /** Applies a fault to an actor or to the thread itself, once the message is in the mailbox. */
  readonly strike: (to: Address, fault: Exclude<ReaderFault, { readonly type: 'throw' }>) => void;
}

/** The post of one thread. It finds a message's destination, delivers the message, and returns the answer. */
export class Post {
  readonly #options: PostOptions;
  readonly #asks: PendingAsks;
  readonly #taken = new TakenQuestions();
  readonly #links = new Map<string, Link>();
  #seam: FaultSeam | undefined;
  readonly #leaving: MessageFaults;
  readonly #arriving: MessageFaults;

  constructor(options: PostOptions) {
    this.#options = options;
    this.#asks = new PendingAsks(options.wheel, options.firstAskId, (thread, ids) => {
      if (thread === options.thread) this.#asks.missing(this.#taken.missing(thread, ids));
      else this.#link(thread).send([FRAME_INQUIRY, ids]);
    });
    this.#leaving = new MessageFaults(options.wheel);
    this.#arriving = new MessageFaults(options.wheel);
  }

  get pendingAsks(): number {
    return this.#asks.size;
  }

  /** Asks `seam` about every message from now on. `undefined` removes the seam. */
  setFaults(seam: FaultSeam | undefined): void {
    this.#seam = seam;
  }

  tell(sender: Sender, to: Address, command: Tagged): void {
    const thread = this.#options.threadOf(to);
    if (thread !== this.#options.thread) {
      const { address, trace } = sender;
      const frame: Frame =
        trace === undefined ? [FRAME_TELL, to, command, address] : [FRAME_TELL, to, command, address, trace];
      return this.#send(thread, frame);
    }
    const mail = mailOf(command, sender.address);
    mail.mark = markOf(sender.trace);
    this.#arrive(to, mail);
  }

  ask(
    sender: Sender,
    to: Address,
    { question, deadlineMs }: { question: Tagged; deadlineMs: number },
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const thread = this.#options.threadOf(to);
      const id = this.#asks.add({ thread, callee: to, question: question.type, deadlineMs, resolve, reject });
      if (thread !== this.#options.thread)
        return this.#send(thread, [FRAME_ASK, to, question, sender.address, sender.trace, id]);
      const mail = mailOf(
        question,
        sender.address,
        this.#reply(this.#options.thread, id, new LocalReply(this.#asks, id)),
      );
      mail.mark = markOf(sender.trace);
      this.#arrive(to, mail);
    });
  }

  /** A peer thread has started or restarted and can be reached. */
  connect(thread: string, channel: FrameChannel): void {
    this.#link(thread).attach(channel);
  }

  /** A peer thread has ended, so its answers will never come. Messages to it wait for its successor. */
  disconnect(thread: string): void {
    const link = this.#link(thread);
    link.detach();
    link.dropWaiting((frame) => frame[0] !== FRAME_TELL);
    this.#asks.threadEnded(thread);
    this.#taken.threadEnded(thread);
  }

  #reply(thread: string, id: number, reply: ReplyTo): ReplyTo {
    this.#taken.take(thread, id);
    return new TakenReply(reply, () => this.#taken.done(thread, id));
  }

  #send(thread: string, frame: Frame & { readonly 0: typeof FRAME_TELL | typeof FRAME_ASK }): void {
    if (this.#seam === undefined) return this.#post(thread, frame);
    const [kind, to, message, from] = frame;
    const drop = (why: string): void => {
      if (kind === FRAME_TELL) this.#options.deadLetters.add(to, message.type, why);
    };
    this.#leaving.apply(this.#seam.onSend(this.#envelope(to, { message, from }, kind === FRAME_ASK)), {
      to,
      pass: () => this.#post(thread, frame),
      drop,
      refuse: ({ code, detail }) => (kind === FRAME_ASK ? this.#asks.fault(frame[5], code, detail) : drop(detail)),
    });
  }

  #post(thread: string, frame: Frame & { readonly 0: typeof FRAME_TELL | typeof FRAME_ASK }): void {
    const [kind, to, message] = frame;
    const urgency = to.startsWith('host/') || this.#options.urgent.has(message.type) ? 'urgent' : 'usual';
    if (this.#link(thread).send(frame, NO_BUFFERS, urgency)) return;
    if (kind === FRAME_TELL) this.#options.deadLetters.add(to, message.type, 'the link is full');
    else this.#asks.fault(frame[5], 'overloaded', `the link to thread ${thread} is full`);
  }

  #arrive(to: Address, mail: Mail): void {
    if (this.#seam === undefined) return this.#options.offer(to, mail);
    const { reply } = mail;
    const { deadLetters, offer, strike } = this.#options;
    const fault = this.#seam.onMessage(this.#envelope(to, mail, reply !== undefined));
    const drop = (why: string): void => {
      if (reply === undefined) deadLetters.add(to, mail.message.type, why);
      else if (reply instanceof TakenReply) reply.lost();
    };
    const faulted = {
      to,
      pass: () => offer(to, { ...mail }),
      drop,
      refuse: ({ code, detail }: TransportFault & { readonly type: 'refuse' }) =>
        reply === undefined ? drop(detail) : reply.fault(code, detail),
    };
    if (fault === 'deliver' || isTransportFault(fault)) return this.#arriving.apply(fault, faulted);
    if (fault.type === 'throw') mail.mark = { ...mail.mark, poison: fault.reason };
    this.#arriving.apply('deliver', faulted);
    if (fault.type !== 'throw') strike(to, fault);
  }

  #envelope(to: Address, { message, from }: { message: Tagged; from: Address }, question: boolean): Envelope {
    return { thread: this.#options.thread, from, to, message, question };
  }

  #link(thread: string): Link {
    let link = this.#links.get(thread);
    if (link === undefined) {
      const { linkCredits } = this.#options;
      link = new Link({
        ...(linkCredits !== undefined && { credits: linkCredits }),
        later: this.#options.later,
        deliver: (frame) => this.#takeIn(thread, frame),
        unsendable: (frame, reason) => this.#unsendable(thread, frame, describeError(reason)),
      });
      this.#links.set(thread, link);
    }
    return link;
  }

  #takeIn(from: string, frame: Frame): void {
    switch (frame[0]) {
      case FRAME_TELL: {
        const mail = mailOf(frame[2], frame[3]);
        mail.mark = markOf(frame[4]);
        return this.#arrive(frame[1], mail);
      }
      case FRAME_ASK: {
        const mail = mailOf(
          frame[2],
          frame[3],
          this.#reply(from, frame[5], new RemoteReply(this.#link(from), frame[5])),
        );
        mail.mark = markOf(frame[4]);
        return this.#arrive(frame[1], mail);
      }
      case FRAME_ANSWER:
        return this.#asks.answer(frame[1], frame[2]);
      case FRAME_FAULT:
        return this.#asks.fault(frame[1], frame[2], frame[3]);
      case FRAME_INQUIRY:
        return void this.#link(from).send([FRAME_MISSING, this.#taken.missing(from, frame[1])]);
      case FRAME_MISSING:
        return this.#asks.missing(frame[1]);
      default:
        return assertMessage(frame);
    }
  }

  #unsendable(thread: string, frame: Frame, why: string): void {
    this.#options.log.error(
      { thread, frame: frame[0], err: why },
      'message dropped: it cannot be copied to another thread',
    );
    if (frame[0] === FRAME_TELL)
      this.#options.deadLetters.add(frame[1], frame[2].type, 'the message is not plain data');
    else if (frame[0] === FRAME_ASK) this.#asks.fault(frame[5], 'not-plain-data', why);
    else if (frame[0] === FRAME_ANSWER || frame[0] === FRAME_FAULT)
      this.#link(thread).send([FRAME_FAULT, frame[1], 'not-plain-data', why]);
  }
}

const NO_BUFFERS: readonly ArrayBuffer[] = [];

const isTransportFault = (fault: TransportFault | ReaderFault): fault is TransportFault =>
  ['drop', 'delay', 'duplicate', 'reorder', 'refuse'].includes(fault.type);

/** Unpacks an answer whose buffers move to the other thread. */
const unpack = (answer: unknown): { readonly value: unknown; readonly buffers: readonly ArrayBuffer[] } =>
  answer instanceof Transferring ? answer : { value: answer, buffers: [] };

/** The reply to a question from another thread. It keeps the question on record while an answer is possible. */
class TakenReply implements ReplyTo {
  readonly #reply: ReplyTo;
  /** Called when the question will get no answer. */
  readonly lost: () => void;
  constructor(reply: ReplyTo, lost: () => void) {
    this.#reply = reply;
    this.lost = lost;
  }
  answer(value: unknown): void {
    this.lost();
    this.#reply.answer(value);
  }
  fault(code: Parameters<ReplyTo['fault']>[0], detail: string): void {
    this.lost();
    this.#reply.fault(code, detail);
  }
}

class LocalReply implements ReplyTo {
  readonly #asks: PendingAsks;
  readonly #id: number;
  constructor(asks: PendingAsks, id: number) {
    this.#asks = asks;
    this.#id = id;
  }
  answer(value: unknown): void {
    this.#asks.answer(this.#id, unpack(value).value);
  }
  fault(code: Parameters<ReplyTo['fault']>[0], detail: string): void {
    this.#asks.fault(this.#id, code, detail);
  }
}

class RemoteReply implements ReplyTo {
  readonly #link: Link;
  readonly #id: number;
  constructor(link: Link, id: number) {
    this.#link = link;
    this.#id = id;
  }
  answer(value: unknown): void {
    const { value: plain, buffers } = unpack(value);
    this.#link.send([FRAME_ANSWER, this.#id, plain], buffers);
  }
  fault(code: Parameters<ReplyTo['fault']>[0], detail: string): void {
    this.#link.send([FRAME_FAULT, this.#id, code, detail]);
  }
}
