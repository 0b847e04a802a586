/** How a question is kept next to a run: one readable text, whose hash is the question's name. */
import type { ChatRequest } from '../../shared/llm.ts';

export function promptRecord({ system, prompt }: Pick<ChatRequest, 'system' | 'prompt'>): string {
  return `[system]\n${system}\n[user]\n${prompt}`;
}
