import type { Random } from './random.ts';

export type Language = 'en' | 'zh';
/**
 * `plain` phrases came with the compiler; `held-out` ones were written by somebody who had not read it; `everyday` ones call
 * things by ordinary words and names of libraries.
 */
export type PhraseSet = 'plain' | 'held-out' | 'everyday';

/** What people and agents say, as far as a scene needs it. Several ways for what a compiler has to recognise. */
export interface Phrases {
  goal(name: string): string;
  willLook(): string;
  /** One line of it names the path: the wish. Other lines may be pasted output. */
  lastRequest(path: string): string;
  /** A command that checks, and the line with the code that it stops with. */
  check(name: string): string;
  broken(code: string, path: string): string;
  stuck(what: string): string;
  question(name: string): string;
  rule(name: string): string;
  smallTalk(): string;
  askToChoose(): string;
  decides(name: string, reason: string): string;
  /** A reply in which the decision is one thing among others. */
  report(said: string, random: Random): string;
  doubts(name: string): string;
  changesTo(from: string, to: string, reason: string): string;
  /** The person takes the agent's decision back. */
  overrules(from: string, to: string): string;
  tryIt(name: string): string;
  install(name: string): string;
  refused(code: string, name: string): string;
  didWithout(name: string): string;
  measure(name: string): string;
  measureAgain(name: string): string;
  /** What a measurement prints, and how it is told. */
  printed(name: string, ms: number): string;
  measured(name: string, ms: number): string;
  plan(): string;
  task(name: string): string;
  lookAt(link: string): string;
  build(path: string): string;
  ask(path: string): string;
  goOn(): string;
  done(): string;
  summary(): string;
  chatter(random: Random): string;
}

export type Ways = <A extends unknown[]>(...all: ((...args: A) => string)[]) => (...args: A) => string;

/** Takes the next of several ways each time, so that all of them occur; sessions begin with different ones. */
export function waysFrom(first: number): Ways {
  return (...all) => {
    let at = first;
    return (...args) => all[at++ % all.length]!(...args);
  };
}
