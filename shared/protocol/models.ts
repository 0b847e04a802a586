/** The editor's language models: the daemon asks, the editor answers. */
import * as z from 'zod';
import { ChatAnswer, ChatRequest } from '../llm.ts';
import { SecretName } from './choices.ts';
import { notification, request } from './message.ts';

/** A model as the editor names it. */
export const EditorModel = z.object({
  id: z.string().min(1),
  name: z.string(),
  vendor: z.string(),
  family: z.string(),
  /** Longest prompt, in the model's own tokens. */
  maxInputTokens: z.number().int().positive(),
});
export type EditorModel = z.infer<typeof EditorModel>;

/**
 * Daemon → client: asks one of the client's models; `model` is an id, or empty for the client's own choice. The client
 * gets the user's consent. Errors: `untrusted` (no consent), `budget_exceeded` (quota), `not_found` (no such model),
 * `cancelled`. The request's own cancellation withdraws the question.
 */
export const AskModel = request(
  'peagen/llm/ask',
  z.object({ ask: z.string().min(1), model: z.string(), request: ChatRequest }),
  ChatAnswer,
);

/** Client → daemon: the next piece of the answer to the question `ask`, in order, before the answer itself. */
export const AnswerPiece = notification('peagen/llm/piece', z.object({ ask: z.string().min(1), text: z.string() }));

/** Client → daemon: the models it offers, on connecting and whenever that changes; none withdraws the offer. */
export const OfferModels = notification('peagen/llm/models', z.object({ models: z.array(EditorModel) }));

/**
 * Client → daemon: what can be chosen from in addition to the editor's models. Looks at this machine's usual ports; asks no
 * model.
 */
export const ListModels = request(
  'peagen/llm/list',
  z.object({}),
  z.object({
    /** Back ends of the configuration; `key_env` when its key is missing. */
    configured: z.array(
      z.object({ name: z.string(), model: z.string(), preset: z.string(), missing_key: z.string().optional() }),
    ),
    /** Servers that answer on this machine. */
    local: z.array(z.object({ preset: z.string(), base_url: z.string(), models: z.array(z.string()) })),
    /** Known providers that want a key; without `base_url` the user must say where. */
    providers: z.array(z.object({ preset: z.string(), key_env: z.string(), base_url: z.string().optional() })),
  }),
);

/**
 * Client → daemon: the models that an endpoint offers, with the key that was chosen; null when it does not say. `api_key_env`
 * names the key where the preset has none.
 */
export const ListEndpointModels = request(
  'peagen/llm/endpoint',
  z.object({ preset: z.string(), base_url: z.string().optional(), api_key_env: SecretName.optional() }),
  z.object({ models: z.array(z.string()).nullable() }),
);
