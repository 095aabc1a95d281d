// node echo-stdio.mjs
import { echoServer, sdk } from './echo_server.mjs';

const { StdioServerTransport } = await sdk('server/stdio.js');
await echoServer().connect(new StdioServerTransport());
