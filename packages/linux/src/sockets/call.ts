import { connect } from "node:net"
import type { DescService } from "@bufbuild/protobuf"
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect"
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A call of a plugin failed, or a plugin cannot be registered; the message is what the other side gets. */
export class PluginFailed extends Schema.TaggedError<PluginFailed>()("PluginFailed", { message: Schema.String }) {}

/** The message of a gRPC error as a Go client has it. */
export const messageOf = (error: unknown): string =>
  error instanceof ConnectError
    ? `rpc error: code = ${Code[error.code]} desc = ${error.rawMessage}`
    : error instanceof Error
      ? error.message
      : String(error)

export const asked = <A>(call: () => Promise<A>): Effect.Effect<A, PluginFailed> =>
  Effect.tryPromise({ try: call, catch: (error) => new PluginFailed({ message: messageOf(error) }) })

/** A client of a service on a unix socket, which connects with the first call. */
export const clientOf = <S extends DescService>(
  service: S,
  path: string
): { readonly client: Client<S>; readonly session: Http2SessionManager } => {
  const session = new Http2SessionManager("http://localhost", {}, { createConnection: () => connect(path) })
  const transport = createGrpcTransport({ baseUrl: "http://localhost", sessionManager: session })
  return { client: createClient(service, transport), session }
}
