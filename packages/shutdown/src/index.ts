export * from "./modelled/ModelledLogind.ts"
export * from "./ports/PodKiller.ts"
export * from "./ports/ShutdownInhibitor.ts"
