export * from "./Limiter.ts"
export * from "./TokenBucket.ts"
