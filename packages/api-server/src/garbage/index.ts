export { GarbageCollector, type GarbageCollectorOptions, type GarbageCollectorShape } from "./GarbageCollector.ts"
export { layerNamespaceController, type NamespaceControllerOptions } from "./NamespaceController.ts"
