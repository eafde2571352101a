export { GarbageCollector, type GarbageCollectorOptions, type GarbageCollectorShape } from "./GarbageCollector.ts"
