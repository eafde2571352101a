export * from "./Status.ts"
