/** The page's words, which came with it, and their language. */
import type { PageTexts } from '../../../../shared/dashboard/texts.ts';
import { byId } from './by-id.ts';

export const texts = JSON.parse(byId('texts', HTMLScriptElement).text) as PageTexts;
export const language = document.documentElement.lang;
