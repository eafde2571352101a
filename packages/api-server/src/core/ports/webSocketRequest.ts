import type { Credentials } from "./Security.ts"

/** Whether a request asks for a WebSocket. Upstream: streaming/pkg/httpstream/wsstream, IsWebSocketRequest. */
export const isWebSocketRequest = ({ connection, upgrade }: Credentials["headers"]): boolean =>
  String(upgrade).toLowerCase() === "websocket" && String(connection).toLowerCase().includes("upgrade")
