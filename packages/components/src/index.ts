export * from "./fleet/FleetDocument.ts"
