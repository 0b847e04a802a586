/** The `QUEUE_URL` of a worker whose parent claims for it. Apart from ipc.ts, so that a worker starts without zod. */
export const IPC_URL = 'ipc:';
