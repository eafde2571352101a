export { type EtcdOptions, type EtcdTls, layerEtcd, openEtcdStore } from "./EtcdStore.ts"
