export { type LogindOptions, layerLogind, makeLogindInhibitor } from "./LogindInhibitor.ts"
export { overrideText } from "./overrideFile.ts"
export { systemBusAddress } from "./systemBus.ts"
