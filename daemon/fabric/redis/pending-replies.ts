/**
 * Answers that a connection owes. The client never settles what was under way when it has to disconnect while it is
 * between two attempts to connect; the owner that ends the connection ends them here.
 */
import { PeagenError } from '../../../shared/errors.ts';

export class PendingReplies {
  private readonly rejects = new Set<(error: PeagenError) => void>();

  track<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.rejects.add(reject);
      const settle = () => this.rejects.delete(reject);
      answer.then(
        (value) => {
          settle();
          resolve(value);
        },
        (error) => {
          settle();
          reject(error);
        },
      );
    });
  }

  end(): void {
    for (const reject of this.rejects) reject(new PeagenError('cancelled', 'The queue was closed.'));
    this.rejects.clear();
  }
}
