// The sockets of a kubelet: device plugins register there, and agents ask for the resources of pods.

export { PluginFailed } from "./call.ts"
export { DevicePlugins } from "./DevicePlugins.ts"
export { layerDraDrivers } from "./DraDrivers.ts"
export { layerPluginMachines } from "./layers.ts"
export { serveNodeSockets } from "./NodeSockets.ts"
export { SocketFailed } from "./serve.ts"

// A device plugin.

export { type DevicePluginOptions, serveDevicePlugin } from "./serveDevicePlugin.ts"
