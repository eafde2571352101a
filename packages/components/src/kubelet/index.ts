/** Configuration of kubelets, for those who plan with it: apart, because an API server has no use for what it loads. */

export { type KubeletFiles, kubeletLayers } from "../programs/kubeletFiles.ts"
