function nothing() {
  return 1;
}
globalThis.__peagenEntry?.(nothing);
