/** Errors on the wire: a PeagenError as a JSON-RPC error and back, and a zod failure in words. */
import * as z from 'zod';
import { errorCodes, errorTable, PeagenError } from '../../shared/errors.ts';

const WireError = z.object({
  code: z.number(),
  message: z.string(),
  data: z
    .object({
      code: z.enum(errorCodes),
      message: z.string(),
      hint: z.string().optional(),
      retryable: z.boolean(),
    })
    .optional()
    .catch(undefined),
});

/** The JSON-RPC error object of anything thrown. */
export function toResponseError(caught: unknown): { code: number; message: string; data: unknown } {
  const error = PeagenError.from(caught);
  return { code: errorTable[error.code].rpc, message: error.line, data: error.toJSON() };
}

/** The PeagenError behind a JSON-RPC error; one of another origin becomes `internal`. */
export function fromResponseError(received: unknown): PeagenError {
  const parsed = WireError.safeParse(received);
  if (!parsed.success) return PeagenError.from(received);
  const { data, message } = parsed.data;
  if (data === undefined) return new PeagenError('internal', message);
  return new PeagenError(data.code, data.message, { hint: data.hint, retryable: data.retryable });
}

/** Parses a message; throws `invalid_input` that names the method, the place in it and what was expected. */
export function parseMessage<T extends z.ZodType>(schema: T, value: unknown, what: string): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new PeagenError('invalid_input', `${what}${at}: ${issue?.message ?? 'invalid'}.`, { cause: parsed.error });
}
