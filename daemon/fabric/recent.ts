/** Memory of what is done, bounded: the newest entries live in two generations, the older of which is dropped as a whole. */

export class Recent<V> {
  private readonly capacity: number;
  private young = new Map<string, V>();
  private old = new Map<string, V>();

  /** Remembers at least the last `capacity` keys and at most twice as many. */
  constructor(capacity: number) {
    this.capacity = capacity;
  }

  set(key: string, value: V): void {
    this.young.set(key, value);
    if (this.young.size >= this.capacity) {
      this.old = this.young;
      this.young = new Map();
    }
  }

  get(key: string): V | undefined {
    return this.young.get(key) ?? this.old.get(key);
  }

  has(key: string): boolean {
    return this.young.has(key) || this.old.has(key);
  }

  delete(key: string): void {
    this.young.delete(key);
    this.old.delete(key);
  }
}
