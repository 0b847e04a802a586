/**
 * What a task refers to, sent with it to a queue that machines share: the task that travels names folders and what it compares
 * with by hash, and no path of this machine; what comes back names the paths again.
 */
import * as z from 'zod';
import { Basis, ExecuteData } from '../../shared/payloads.ts';
import { CapTag, FOLDERS_TAG, type Task } from '../../shared/task.ts';
import { sendBasis } from '../fabric/basis.ts';
import type { PackedFolders, TaskQueue } from '../fabric/queue.ts';
import { renamed, rooted } from '../handlers/folders.ts';
import { packedIn, sendFolder } from '../judging/copies/packed.ts';

const Rooted = z.looseObject({ root: z.string() });
const Judged = z.looseObject({ basis: Basis, check: Rooted.optional() });
const Followed = z.looseObject({ next: Judged, nextRequires: z.array(CapTag).default([]) });

export class TaskFolders {
  private readonly made: Task;
  private readonly folders: TaskQueue['folders'];
  /** Paths of this machine, by the reference that travels. */
  private readonly paths = new Map<string, string>();

  constructor(made: Task, folders: TaskQueue['folders']) {
    this.made = made;
    this.folders = folders;
  }

  /** The task as it travels. Sends what the queue has lost; throws `too_large`. */
  async sent(task: Task, signal: AbortSignal): Promise<Task> {
    const { folders } = this;
    if (folders === undefined) return task;
    if (task.kind === 'mutate') {
      const followed = Followed.safeParse(task.payload);
      if (!followed.success) return task;
      const { next, nextRequires } = followed.data;
      const sent = await this.judged(next, folders, signal);
      return { ...task, payload: { ...followed.data, next: sent, nextRequires: this.tagged(nextRequires) } };
    }
    const judged = Judged.safeParse(task.payload);
    if (!judged.success) return task;
    const payload = await this.judged(judged.data, folders, signal);
    return { ...task, payload, requires: this.tagged(task.requires) };
  }

  /** The data of the task with the paths of this machine. */
  returned(data: unknown): unknown {
    if (this.folders === undefined || this.made.kind !== 'execute') return data;
    const root = Judged.safeParse(this.made.payload).data?.basis.evaluator.options['root'];
    const executed = root === undefined ? undefined : ExecuteData.safeParse(data).data;
    return executed === undefined ? data : rooted(executed, root);
  }

  renamed(caught: unknown): unknown {
    return renamed(caught, this.paths);
  }

  private tagged(requires: readonly CapTag[]): CapTag[] {
    return [...new Set([...requires, FOLDERS_TAG])].sort();
  }

  private async judged({ basis, check, ...payload }: z.infer<typeof Judged>, folders: PackedFolders, signal: AbortSignal) {
    const options = await this.referred(basis.evaluator.options, folders, signal);
    return {
      ...payload,
      basis: await sendBasis(basis, options, folders),
      ...(check === undefined ? {} : { check: await this.referred(check, folders, signal) }),
    };
  }

  private async referred<T extends Record<string, unknown>>(options: T, folders: PackedFolders, signal: AbortSignal): Promise<T> {
    const { root } = options;
    if (typeof root !== 'string' || packedIn(root) !== undefined) return options;
    const reference = await sendFolder(root, folders, signal);
    this.paths.set(reference, root);
    return { ...options, root: reference };
  }
}
