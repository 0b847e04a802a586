/** What the test LLM can be told to do with the next request: one step per request, first in, first out. */
import * as z from 'zod';

/** A proper answer. `pieces` is how many characters a streamed piece holds. */
const answer = z.object({
  type: z.literal('answer'),
  text: z.string(),
  finish: z.enum(['stop', 'length', 'content_filter']).default('stop'),
  pieces: z.number().int().positive().default(12),
  /** Milliseconds before the first piece, and between pieces. */
  firstMs: z.number().min(0).default(0),
  pieceMs: z.number().min(0).default(0),
  /** `none` leaves the usage out; `absurd` reports numbers that cannot be. */
  usage: z.enum(['exact', 'none', 'absurd']).default('exact'),
});

export const Step = z.discriminatedUnion('type', [
  answer,
  /** An HTTP error. `retryAfter` goes into the header as it is: seconds or a date. */
  z.object({
    type: z.literal('status'),
    status: z.number().int(),
    retryAfter: z.string().optional(),
    message: z.string().default('The test LLM was asked to fail.'),
    code: z.string().optional(),
    param: z.string().optional(),
  }),
  /** Cuts the connection after this many characters of the answer; −1: before any header. */
  z.object({ type: z.literal('cut'), text: z.string().default('def half_an_answer'), after: z.number().int().min(-1) }),
  /** Accepts the request and never says anything. */
  z.object({ type: z.literal('silent') }),
  /** 200 and the right content type, and then something that is not the protocol. */
  z.object({ type: z.literal('malformed'), body: z.string().default('<html>502 Bad Gateway</html>') }),
  /** A sign-in page in the place of an answer. */
  z.object({ type: z.literal('page') }),
  /** One line that goes on for as long as somebody listens. */
  z.object({ type: z.literal('endless'), status: z.number().int().default(200) }),
  z.object({ type: z.literal('refusal'), text: z.string().default("I'm sorry, but I can't help with that.") }),
  /** A stream that goes on for as long as somebody listens, whatever max_tokens says. */
  z.object({ type: z.literal('flood'), piece: z.string().default('all work and no play ') }),
]);
export type Step = z.input<typeof Step>;
export type ParsedStep = z.output<typeof Step>;

/** The part of a chat completion request that the server reads. */
export const ChatBody = z.looseObject({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  stream: z.boolean().default(false),
  stream_options: z.object({ include_usage: z.boolean() }).nullish(),
  max_tokens: z.number().int().nullish(),
  max_completion_tokens: z.number().int().nullish(),
  temperature: z.number().nullish(),
  seed: z.number().int().nullish(),
});
export type ChatBody = z.infer<typeof ChatBody>;
