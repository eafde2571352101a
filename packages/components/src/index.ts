export { ListenFailed } from "@rollcall/input"
export {
  layerServerStore,
  type RunningServer,
  ServerProcess,
  type ServerSettings
} from "./apiserver/ApiServerProcess.ts"
export { remoteConnection } from "./clients/remote.ts"
export { runKubectl } from "./commands/kubectl.ts"
export { readCommandLine } from "./flags/readCommandLine.ts"
export { addressesOfHost } from "./host/addressesOfHost.ts"
export { Host, type HostShape } from "./host/Host.ts"
export { homeFolderOfUser } from "./host/homeFolder.ts"
export { type ComponentFailure, type ComponentName, runComponent } from "./programs/index.ts"
export { layersOf } from "./programs/layersOf.ts"
