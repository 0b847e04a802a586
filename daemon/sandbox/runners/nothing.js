function nothing() {}
globalThis.__peagenEntry?.(nothing);
