import type { SessionEvent, Todo } from '../../src/shared/events.ts';
import { isObject, type Json, text } from './record.ts';

const STATUS = new Map<unknown, Todo['status']>([
  ['pending', 'pending'],
  ['in_progress', 'in_progress'],
  ['completed', 'done'],
  ['deleted', 'cancelled'],
  ['cancelled', 'cancelled'],
]);

export interface TodoChange {
  type: 'todo.add' | 'todo.update';
  todo: Todo;
}

/** The task list of a session: turns results of the todo tools into what changed. */
export class Todos {
  private readonly known = new Map<string, Todo>();

  /** What a call and its result changed. `result` = toolUseResult, which old and background calls do not have. */
  changes(name: string, args: Json, result: unknown): TodoChange[] {
    if (name === 'TodoWrite') return this.list(args.todos);
    if (name === 'TaskCreate') return this.created(args, result);
    return name === 'TaskUpdate' ? this.updated(args) : [];
  }

  /** TodoWrite gives the whole list each time; its items have no id, so their text names them. */
  private list(todos: unknown): TodoChange[] {
    if (!Array.isArray(todos)) return [];
    const changes: TodoChange[] = [];
    for (const [order, item] of (todos as unknown[]).entries()) {
      if (!isObject(item)) continue;
      const content = text(item.content);
      if (content === undefined) continue;
      this.set(changes, {
        id: text(item.id) ?? content,
        order,
        status: STATUS.get(item.status) ?? 'pending',
        text: content,
      });
    }
    return changes;
  }

  private created(args: Json, result: unknown): TodoChange[] {
    const task = isObject(result) && isObject(result.task) ? result.task : undefined;
    const id = text(task?.id);
    const subject = text(task?.subject) ?? text(args.subject);
    if (id === undefined || subject === undefined) return [];
    const changes: TodoChange[] = [];
    this.set(changes, { id, order: this.known.size, status: 'pending', text: subject });
    return changes;
  }

  private updated(args: Json): TodoChange[] {
    const id = text(args.taskId);
    const before = id === undefined ? undefined : this.known.get(id);
    if (id === undefined || before === undefined) return [];
    const changes: TodoChange[] = [];
    this.set(changes, {
      id,
      order: before.order,
      status: STATUS.get(args.status) ?? before.status,
      text: text(args.subject) ?? before.text,
    });
    return changes;
  }

  private set(changes: TodoChange[], todo: Todo): void {
    const before = this.known.get(todo.id);
    this.known.set(todo.id, todo);
    if (before === undefined) changes.push({ type: 'todo.add', todo });
    else if (before.status !== todo.status || before.text !== todo.text) changes.push({ type: 'todo.update', todo });
  }

  replay(event: SessionEvent): void {
    const { id, order, status, text: content } = event.payload as unknown as Todo;
    if (event.type === 'todo.add' || event.type === 'todo.update')
      this.known.set(id, { id, order, status, text: content });
  }
}
