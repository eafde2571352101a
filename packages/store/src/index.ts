export * from "./Store.ts"
