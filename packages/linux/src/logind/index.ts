// logind, over the system bus.

export { type LogindOptions, layerLogind, makeLogindInhibitor } from "./LogindInhibitor.ts"
export { systemBusAddress } from "./systemBus.ts"
