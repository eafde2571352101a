/** The configuration of kubelets, for planners: a separate entry, because an API server does not need its imports. */

export { type KubeletFiles, kubeletLayers } from "../programs/kubeletFiles.ts"
