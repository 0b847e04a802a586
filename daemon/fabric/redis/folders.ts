/** Folders that tasks need, next to the queue: a hash for each, with a field for each file, that is dropped a day after its last use. */
import * as z from 'zod';
import type { Sha256 } from '../../../shared/ids.ts';
import type { PackedFolders, PackedPart } from '../../handlers/handler.ts';
import type { Argument, Connection } from './connection/connection.ts';

const KEPT_S = 86_400;
/** Bytes of one command: Redis serves no other client meanwhile. */
const CHUNK_BYTES = 1 << 20;
/** Written last. */
const COMPLETE = 'complete';

export class RedisFolders implements PackedFolders {
  private readonly connection: Connection;
  private readonly prefix: string;

  constructor(connection: Connection, prefix: string) {
    this.connection = connection;
    this.prefix = `${prefix}folder:`;
  }

  async keep(id: Sha256): Promise<boolean> {
    const complete = await this.connection.ask('hget', [this.prefix + id, COMPLETE]);
    return complete !== null && (await this.connection.ask('expire', [this.prefix + id, KEPT_S])) === 1;
  }

  async put(id: Sha256, parts: AsyncIterable<PackedPart>): Promise<void> {
    const key = this.prefix + id;
    let chunk: Argument[] = [];
    let bytes = 0;
    const write = async () => {
      if (chunk.length > 0) await this.connection.ask('hset', [key, ...chunk]);
      [chunk, bytes] = [[], 0];
    };
    for await (const [name, part] of parts) {
      chunk.push(name, part);
      bytes += part.length;
      if (bytes >= CHUNK_BYTES) await write();
    }
    chunk.push(COMPLETE, '1');
    await write();
    await this.connection.ask('expire', [key, KEPT_S]);
  }

  async get(id: Sha256, names: readonly string[]): Promise<(Buffer | undefined)[]> {
    const found = await this.connection.ask('hmget', [this.prefix + id, ...names]);
    return z
      .array(z.instanceof(Buffer).nullable())
      .parse(found)
      .map((part) => part ?? undefined);
  }
}
