/** The entry of a worker's process: settings that must hold before anything else is loaded, then its life. */
import * as z from 'zod';

// A one-shot process parses each kind of message about once: a parser compiled for it costs three times what it saves.
z.config({ jitless: true });
await import('./life.ts');
