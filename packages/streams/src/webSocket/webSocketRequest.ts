type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Whether a request asks for a WebSocket. Upstream: streaming/pkg/httpstream/wsstream, IsWebSocketRequest. */
export const isWebSocketRequest = ({ connection, upgrade }: Headers): boolean =>
  String(upgrade).toLowerCase() === "websocket" && String(connection).toLowerCase().includes("upgrade")
