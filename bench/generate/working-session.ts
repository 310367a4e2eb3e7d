import type { ToolKind } from '../../src/shared/events.ts';
import type { Language, PhraseSet, Phrases } from './phrases.ts';
import { type Random, randomOf } from './random.ts';
import { type Fact, WORDS, type WorkingSession } from './working-facts.ts';
import { everydayOf, phrasesOf } from './working-phrases.ts';

/**
 * Working sessions for the survival benchmark: somebody and an agent work on a project for a number of turns. What the next
 * agent has to know, and what is no longer so, is noted while the session is made, apart from anything the compiler does.
 */

/** @param turns prompts of the person, from 10 on */
export function workingSession(seed: number, turns: number, language: Language, set: PhraseSet): WorkingSession {
  return new Story(seed, turns, language, set).tell();
}

const START = 1_790_000_000;

class Story {
  readonly #random: Random;
  readonly #say: Phrases;
  readonly #turns: number;
  readonly #session: WorkingSession;
  readonly #paths: string[];
  readonly #everyday: ReturnType<typeof everydayOf>;
  readonly #named = new Set<string>();
  #parent: number | null = null;
  #turn = 0;
  #call = 0;
  #todo = 0;

  constructor(seed: number, turns: number, language: Language, set: PhraseSet) {
    this.#random = randomOf(seed);
    this.#say = phrasesOf(language, set, seed >> 1);
    this.#everyday = everydayOf(language, set, seed >> 1);
    this.#turns = turns;
    this.#session = { name: `${language}-${turns}-${seed}`, language, turns, events: [], facts: [], stale: [] };
    const files = Math.min(40, 3 + Math.floor(turns / 4));
    this.#paths = Array.from({ length: files }, (_, i) => `src/${this.#word()}/${this.#word()}${i}.ts`);
  }

  tell(): WorkingSession {
    this.#event('session.start', 'system', { cwd: '/home/dev/project' });
    this.#opening();
    const scenes = [
      this.#rule,
      this.#decision,
      this.#failedTry,
      this.#measure,
      this.#todos,
      this.#deadBranch,
      this.#reference,
      this.#feature,
    ];
    const told = Math.max(4, Math.min(24, Math.floor(this.#turns / 3)));
    const every = Math.max(1, Math.floor((this.#turns - 2) / told));
    const compactEvery = Math.floor(this.#turns / 3);
    let scene = 0;
    while (this.#turn < this.#turns - 1) {
      if (this.#turn % every === 0 && scene < told) scenes[scene++ % scenes.length]!.call(this);
      else this.#filler();
      if (this.#turns >= 60 && this.#turn % compactEvery === compactEvery - 1) this.#compact();
    }
    this.#ending();
    return this.#session;
  }

  /** The first request says what all of it is for. */
  #opening(): void {
    const name = `${this.#word()}-${this.#random.hex(4)}`;
    this.#prompt(this.#say.goal(name));
    this.#reply(this.#say.willLook());
    this.#fact('request', true, name);
  }

  /** The last request, an error that nobody has mended, and a question that waits. */
  #ending(): void {
    const path = this.#paths.at(-1)!;
    const code = this.#random.int(2, 120);
    const what = `E${this.#random.int(1000, 9999)}`;
    const request = this.#say.lastRequest(path);
    this.#prompt(request);
    this.#fact('request', true, lineWith(request, path));
    const command = this.#say.check(`${this.#word()}-${this.#random.hex(4)}`);
    this.#run(command, `${this.#noise(20)}\n${this.#say.broken(what, path)}\n${this.#noise(3)}`, code);
    this.#fact('error', true, command);
    this.#fact('error', true, what);
    this.#fact('error', true, String(code), command);
    const asked = `${this.#word()}-${this.#random.hex(4)}`;
    this.#reply(`${this.#say.stuck(what)} ${this.#say.question(asked)}`);
    this.#fact('question', true, asked);
  }

  #rule(): void {
    const name = `${this.#word()}-${this.#random.hex(4)}`;
    const rule = this.#say.rule(name);
    const gap = /[.!。！]$/.test(rule) ? ' ' : '\n';
    this.#prompt(`${this.#say.smallTalk()} ${rule}${gap}${this.#say.smallTalk()}`);
    this.#edit(this.#path());
    this.#reply(this.#say.done());
    this.#fact('rule', true, rule);
  }

  /** A decision with its reason; half of them are taken back later in the scene. */
  #decision(): void {
    const first = this.#thing();
    const reason = `${this.#word()} ${this.#random.hex(3)}`;
    this.#prompt(this.#say.askToChoose());
    this.#edit(this.#path());
    const said = this.#say.decides(first, reason);
    this.#reply(this.#say.report(said, this.#random));
    if (this.#random.next() < 0.5) {
      this.#fact('decision', true, first, ...(this.#everyday === null ? [] : [reason]));
      for (let i = 0; i < 2; i++) this.#beside(first);
      return;
    }
    for (let i = 0; i < 2; i++) this.#filler();
    const second = this.#thing();
    const takenBack = this.#takeBack(first, second, reason);
    this.#fact('decision', true, second);
    this.#session.stale.push({ kind: 'decision', needles: [first], takenBack: [second, ...takenBack] });
  }

  /** A question or a remark in which the thing may be named, and that takes nothing back. */
  #beside(name: string): void {
    if (this.#everyday === null) return;
    this.#prompt(this.#everyday.beside(name));
    this.#reply(this.#say.chatter(this.#random));
  }

  /** By the agent, when the person doubts it, or by the person. What was said of it, line by line. */
  #takeBack(first: string, second: string, reason: string): string[] {
    const byPerson = this.#random.next() < 0.3;
    const doubt = byPerson ? this.#say.overrules(first, second) : this.#say.doubts(first);
    this.#prompt(doubt);
    this.#edit(this.#path());
    const change = byPerson ? this.#say.done() : this.#say.changesTo(first, second, reason);
    this.#reply(change);
    return `${doubt}\n${change}`.split('\n').filter((line) => line.includes(first));
  }

  #failedTry(): void {
    const package_ = `lib${this.#word()}-${this.#random.hex(4)}`;
    this.#prompt(this.#say.tryIt(package_));
    const command = this.#say.install(package_);
    const error = `ERESOLVE_${this.#random.hex(4).toUpperCase()}`;
    this.#run(command, `${this.#noise(8)}\n${this.#say.refused(error, package_)}`, 1);
    this.#edit(this.#path());
    this.#reply(this.#say.didWithout(package_));
    this.#fact('failed', false, command);
    this.#fact('failed', false, error);
  }

  /** A number that is measured twice: the first one is stale. */
  #measure(): void {
    const name = `${this.#word()}-${this.#random.hex(3)}`;
    const [before, after] = [this.#random.int(400, 999), this.#random.int(100, 399)];
    const command = `node bench/${name}.js`;
    this.#prompt(this.#say.measure(name));
    this.#run(command, this.#say.printed(name, before), 0);
    this.#reply(this.#say.measured(name, before));
    this.#filler();
    this.#prompt(this.#say.measureAgain(name));
    this.#edit(this.#path());
    this.#run(command, this.#say.printed(name, after), 0);
    this.#reply(this.#say.measured(name, after));
    this.#fact('number', false, name, String(after));
    this.#fact('command', false, command);
    this.#session.stale.push({ kind: 'number', needles: [name, String(before)], takenBack: [String(after)] });
  }

  /** Four tasks, of which one stays open. */
  #todos(): void {
    const tasks = Array.from({ length: 4 }, () => this.#say.task(`${this.#word()}-${this.#random.hex(4)}`));
    this.#prompt(this.#say.plan());
    const ids = tasks.map(() => `t${++this.#todo}`);
    for (const [order, text] of tasks.entries())
      this.#aside('todo.add', { id: ids[order], text, status: 'pending', order: this.#todo + order });
    this.#reply(this.#say.done());
    for (const [order, id] of ids.entries()) {
      if (order === 2) continue;
      this.#filler();
      this.#aside('todo.update', { id, text: tasks[order], status: 'done', order: this.#todo + order });
      this.#session.stale.push({ kind: 'todo', needles: [tasks[order]!], takenBack: [] });
    }
    this.#fact('todo', true, tasks[2]!);
  }

  /** The person goes back to before these turns: none of it happened. */
  #deadBranch(): void {
    const leaf = this.#parent;
    const name = `${this.#word()}-${this.#random.hex(4)}`;
    const path = `src/${name}.ts`;
    this.#prompt(this.#say.tryIt(name));
    this.#edit(path);
    this.#reply(this.#say.decides(name, this.#word()));
    this.#parent = leaf;
    this.#turn--;
    this.#session.stale.push({ kind: 'undone', needles: [name], takenBack: [] });
    this.#filler();
  }

  #reference(): void {
    const link = `https://example.com/${this.#word()}/issues/${this.#random.int(100, 9999)}`;
    this.#prompt(this.#say.lookAt(link));
    this.#edit(this.#path());
    this.#reply(this.#say.done());
    this.#fact('reference', false, link);
  }

  #feature(): void {
    const path = this.#path();
    const command = `npm test -- ${path.replace('.ts', '.test.ts')}`;
    this.#prompt(this.#say.build(path));
    this.#edit(path);
    this.#run(command, `${this.#noise(10)}\nTests ${this.#random.int(3, 60)} passed`, 0);
    this.#reply(`${this.#say.chatter(this.#random)} ${this.#say.done()}`);
    this.#fact('path', false, path);
    this.#fact('command', false, command);
  }

  /** Ordinary work that leaves nothing to remember. */
  #filler(): void {
    this.#prompt(this.#random.next() < 0.4 ? this.#say.goOn() : this.#say.ask(this.#path()));
    const steps = this.#random.int(1, 4);
    for (let i = 0; i < steps; i++) {
      const path = this.#path();
      if (this.#random.next() < 0.6)
        this.#use('Read', 'read', { file_path: `/home/dev/project/${path}` }, this.#noise(30));
      else this.#use('Grep', 'search', { pattern: this.#word() }, this.#noise(12));
    }
    this.#reply(this.#say.chatter(this.#random));
  }

  #compact(): void {
    this.#event('context.compacted', 'system', { trigger: 'auto', summary: text(this.#say.summary()), kept: [] });
  }

  #prompt(said: string): void {
    this.#turn++;
    this.#event('message.user', 'user', { content: text(said), via: 'prompt' });
  }

  #reply(said: string): void {
    const response = `r${this.#session.events.length}`;
    this.#event('message.assistant', 'agent:claude', { response, content: text(said) });
  }

  #edit(path: string): void {
    const file = `/home/dev/project/${path}`;
    const change = `${this.#word()}(${this.#random.int(0, 999)});`;
    const seq = this.#use('Edit', 'edit', { file_path: file, new_string: change }, 'The file has been updated.');
    this.#aside('file.edit', { path: file, op: 'edit', diff: `@@ -1 +1 @@\n-${this.#word()}();\n+${change}\n` }, [
      `seq:${seq}`,
    ]);
  }

  #run(command: string, output: string, exit_code: number): void {
    const seq = this.#use('Bash', 'shell', { command }, output, exit_code !== 0);
    this.#aside('command.run', { cmd: command, exit_code, stdout_tail: output }, [`seq:${seq}`]);
  }

  #use(name: string, tool: ToolKind, args: object, output: string, failed = false): number {
    const call_id = `call_${++this.#call}`;
    const response = `r${this.#session.events.length}`;
    const seq = this.#event('tool.call', 'agent:claude', { response, call_id, name, arguments: args, tool });
    this.#event('tool.result', 'system', { call_id, content: text(output), is_error: failed, closed: 'ran' });
    return seq;
  }

  #event(type: string, actor: string, payload: object): number {
    const seq = this.#put(type, actor, payload, []);
    this.#parent = seq;
    return seq;
  }

  /** Hangs on the branch, and nothing hangs on it. */
  #aside(type: string, payload: object, refs: string[] = []): void {
    this.#put(type, 'agent:claude', payload, refs);
  }

  #put(type: string, actor: string, payload: object, refs: string[]): number {
    const { events } = this.#session;
    const seq = events.length;
    events.push({
      seq,
      ts: START + seq,
      agent: 'claude',
      actor,
      type,
      level: 1,
      payload: payload as Record<string, unknown>,
      refs,
      parent_seq: this.#parent,
      origin: null,
      checksum: '',
    });
    return seq;
  }

  #fact(kind: Fact['kind'], isVital: boolean, ...needles: string[]): void {
    this.#session.facts.push({ kind, isVital, needles });
  }

  #path(): string {
    return this.#random.pick(this.#paths);
  }

  /** Something that is decided for: no two of a session are called the same. */
  #thing(): string {
    const names = this.#everyday?.names.filter((name) => !this.#named.has(name)) ?? [];
    const name = names.length > 0 ? this.#random.pick(names) : `${this.#word()}-${this.#random.hex(4)}`;
    this.#named.add(name);
    return name;
  }

  #word(): string {
    return this.#random.pick(WORDS);
  }

  #noise(lines: number): string {
    return Array.from(
      { length: lines },
      () => `  ${this.#word()} ${this.#word()} ${this.#random.int(0, 99999)} ${this.#word()}`,
    ).join('\n');
  }
}

const lineWith = (said: string, part: string) => said.split('\n').find((line) => line.includes(part))!;

const text = (said: string) => [{ kind: 'text', text: said }];
