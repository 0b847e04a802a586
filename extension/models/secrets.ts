/** Secrets of this user, in the editor's secret store, by the name of the environment variable that stands for each. */
import type * as vscode from 'vscode';
import { SecretName } from '../../shared/protocol/choices.ts';

export class Secrets {
  private readonly storage: vscode.SecretStorage;
  /** Values that were read or kept, to keep them out of whatever is written. */
  private readonly seen = new Set<string>();

  constructor(storage: vscode.SecretStorage) {
    this.storage = storage;
  }

  /** `place` distinguishes one use of a variable from another, such as the passwords of two servers. */
  async get(variable: string, place = ''): Promise<string | undefined> {
    const value = await this.storage.get(keyOf(variable, place));
    if (value !== undefined) this.seen.add(value);
    return value;
  }

  async keep(variable: string, value: string, place = ''): Promise<void> {
    this.seen.add(value);
    await this.storage.store(keyOf(variable, place), value);
  }

  async forget(variable: string, place = ''): Promise<void> {
    await this.storage.delete(keyOf(variable, place));
  }

  /** The text without any of them. */
  redact(text: string): string {
    return [...this.seen].reduce((redacted, secret) => redacted.replaceAll(secret, '…'), text);
  }
}

function keyOf(variable: string, place: string): string {
  return `secret:${SecretName.parse(variable)}:${place}`;
}
