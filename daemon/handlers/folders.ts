/**
 * The folders of an execute task, on this machine: those that it refers to by hash are fetched and unpacked. A member of a
 * shared queue must not choose which folders of this host a program gets to see, so that a path is one of its workspace.
 */
import { PeagenError } from '../../shared/errors.ts';
import type { ExecuteData, ExecutePayload } from '../../shared/payloads.ts';
import { openPacked, packedIn } from '../judging/copies/packed.ts';
import { requireOwnFolder } from '../judging/copies/roots.ts';
import type { HandlerContext } from './handler.ts';

/** Runs `work` with the payload as this machine needs it. `shared`: the task comes from a queue that machines share. */
export async function withFolders(
  payload: ExecutePayload,
  { folders, workspace = process.cwd() }: Pick<HandlerContext, 'folders' | 'workspace'>,
  shared: boolean,
  work: (payload: ExecutePayload) => Promise<ExecuteData>,
): Promise<ExecuteData> {
  await using opened = new AsyncDisposableStack();
  const places = new Map<string, string>();
  const here = async (root: string): Promise<string> => {
    const id = packedIn(root);
    if (id === undefined) {
      if (shared) await requireOwnFolder(root, [workspace], process.env);
      return root;
    }
    if (folders === undefined) throw new PeagenError('unsupported', 'This worker cannot fetch the folder that the task needs.');
    const { folder } = opened.use(await openPacked(id, folders));
    places.set(folder, root);
    return folder;
  };
  const { basis, check } = payload;
  const { root } = basis.evaluator.options;
  const options = typeof root === 'string' ? { ...basis.evaluator.options, root: await here(root) } : basis.evaluator.options;
  const local = {
    ...payload,
    basis: { ...basis, evaluator: { ...basis.evaluator, options } },
    ...(check === undefined ? {} : { check: { ...check, root: await here(check.root) } }),
  };
  try {
    return rooted(await work(local), root);
  } catch (caught) {
    throw renamed(caught, places);
  }
}

/** A basis names the folder as its task does, not where it lay on this machine. */
export function rooted(data: ExecuteData, root: unknown): ExecuteData {
  if (data.basis === undefined || typeof root !== 'string') return data;
  const { evaluator } = data.basis;
  return { ...data, basis: { ...data.basis, evaluator: { ...evaluator, options: { ...evaluator.options, root } } } };
}

/** The error, with other names of the folders in it. */
export function renamed(caught: unknown, names: ReadonlyMap<string, string>): unknown {
  if (!(caught instanceof PeagenError) || names.size === 0) return caught;
  const rename = (text: string) => [...names].reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const { code, message, hint, retryable } = caught;
  const error = new PeagenError(code, rename(message), {
    hint: hint === undefined ? undefined : rename(hint),
    retryable,
    cause: caught.cause,
  });
  return error;
}
