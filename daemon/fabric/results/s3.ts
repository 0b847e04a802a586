/**
 * Results in an S3-compatible store: one object per task, `<prefix><task id>.msgpack.gz`. The first result is kept by a
 * conditional write (If-None-Match); stores that ignore the condition are covered by asking first, except for a race.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { AwsClient } from 'aws4fetch';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { TaskId } from '../../../shared/ids.ts';
import { Result } from '../../../shared/task.ts';
import { pack, unpack } from '../msgpack.ts';
import type { ResultBackend } from '../results.ts';

const TIMEOUT_MS = 30_000;
/** How often a request is sent on 5xx and 429; the caller that stores results tries again after that. */
const RETRIES = 2;
/**
 * Not every store writes an object in one step: one that cannot be unpacked is read again, in case it is being written. What
 * stays empty was left behind by a store that was killed, and counts as none.
 */
const READINGS = 5;
const READING_MS = 200;

const zip = promisify(gzip);
const unzip = promisify(gunzip);

export interface S3Options {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Before every key; ends with a slash or is empty. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export class S3ResultStore implements ResultBackend {
  private readonly client: AwsClient;
  private readonly base: string;
  private readonly closing = new AbortController();

  constructor(options: S3Options) {
    const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey, sessionToken } = options;
    this.client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      retries: RETRIES,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    });
    const path = prefix.split('/').map(encodeURIComponent).join('/');
    this.base = `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}/${path}`;
  }

  async put(result: Result): Promise<boolean> {
    const body = await zip(pack(result));
    const what = `The result of task ${result.task_id} could not be written`;
    const known = await this.request('HEAD', result.task_id, what);
    const empty = known.ok && known.headers.get('content-length') === '0';
    if (known.ok && !empty) return false;
    if (!known.ok && known.status !== 404) throw this.refused(what, known.status, '');
    const condition = empty ? {} : { 'if-none-match': '*' };
    const answer = await this.request('PUT', result.task_id, what, { body, condition });
    if (answer.ok) return true;
    // 409: another conditional write of the same key is under way. It may yet fail, so this one is tried again.
    if (answer.status === 412) return false;
    throw this.refused(what, answer.status, await answer.text());
  }

  async get(id: TaskId): Promise<Result | undefined> {
    const what = `The result of task ${id} could not be read`;
    for (let reading = 1; ; reading++) {
      const answer = await this.request('GET', id, what);
      if (answer.status === 404) return undefined;
      if (!answer.ok) throw this.refused(what, answer.status, await answer.text());
      const body = await answer.arrayBuffer();
      try {
        return Result.parse(unpack(await unzip(body)));
      } catch (error) {
        if (reading < READINGS) {
          await delay(READING_MS, undefined, { signal: this.closing.signal });
          continue;
        }
        if (body.byteLength === 0) return undefined;
        throw new PeagenError('storage_failed', `The result of task ${id} in ${this.base} is damaged: ${String(error)}.`, {
          hint: 'Delete the object; its task is done again.',
          retryable: false,
          cause: error,
        });
      }
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
  }

  private async request(
    method: string,
    id: TaskId,
    what: string,
    write?: { body: Uint8Array<ArrayBuffer>; condition: Record<string, string> },
  ): Promise<Response> {
    try {
      return await this.client.fetch(`${this.base}${id}.msgpack.gz`, {
        method,
        signal: AbortSignal.any([this.closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
        ...(write && { body: write.body, headers: { ...write.condition, 'content-type': 'application/gzip' } }),
      });
    } catch (error) {
      const cause =
        error instanceof Error && error.cause instanceof Error ? error.cause.message || String(error.cause) : String(error);
      throw new PeagenError('storage_failed', `${what}: ${this.base} does not answer: ${cause}.`, {
        hint: 'Check result_backend.endpoint; storing is tried again until it works.',
        cause: error,
      });
    }
  }

  private refused(what: string, status: number, text: string): PeagenError {
    const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '';
    const hint =
      status === 403 || status === 401
        ? 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and the rights of this key on the bucket.'
        : code === 'NoSuchBucket'
          ? 'Create the bucket, or correct result_backend.bucket.'
          : 'Storing is tried again until it works.';
    return new PeagenError('storage_failed', `${what}: ${this.base} answers ${status} ${code}`.trimEnd().concat('.'), { hint });
  }
}

/** Keys come from `env`: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN. */
export function openS3ResultStore(
  { result_backend, task_queue }: Config,
  workspace: string,
  env: NodeJS.ProcessEnv,
): S3ResultStore {
  const { bucket, endpoint } = result_backend;
  const region = result_backend.region ?? env['AWS_REGION'] ?? 'us-east-1';
  const [accessKeyId, secretAccessKey, sessionToken] = [
    env['AWS_ACCESS_KEY_ID'],
    env['AWS_SECRET_ACCESS_KEY'],
    env['AWS_SESSION_TOKEN'],
  ];
  if (bucket === undefined) {
    throw new PeagenError('invalid_config', 'The result store "s3" needs result_backend.bucket.', {
      hint: 'Add bucket = "name" to [result_backend].',
    });
  }
  if (!accessKeyId || !secretAccessKey) {
    throw new PeagenError('invalid_config', 'The result store "s3" needs keys.', {
      hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.',
    });
  }
  const name = task_queue.workspace ?? workspace.split(/[\\/]/).filter(Boolean).at(-1) ?? 'workspace';
  const prefix = result_backend.prefix ?? `peagen/${name}/results`;
  return new S3ResultStore({
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken ? { sessionToken } : {}),
  });
}
