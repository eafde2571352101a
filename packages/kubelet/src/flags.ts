/** The flags of kubelet, without the kubelet itself: light to load, for help and completion. */

export { kubeletFlagSet } from "./config/flagSet.ts"
