import { endTokens } from '../tokens.ts';
import type { Service } from '../service.ts';
import type { Tool } from '../world.ts';
import { notFound, oneOf, optionalText, type Body } from './body.ts';

const TOOL_ACTIONS = ['suspend', 'activate', 'archive', 'replace-code', 'rotate-key'] as const;

/** Why the tokens of a tool end by what is done to it ("States: launch token"). */
const END_REASONS = {
  suspend: 'tool suspended',
  archive: 'tool archived',
  'replace-code': 'code replaced',
  activate: undefined,
  'rotate-key': undefined,
} as const;

/** What the dashboard does to a tool; without one named, to the first. */
export function changeTool(service: Service, body: Body): object {
  const action = oneOf(body, 'action', TOOL_ACTIONS);
  const { tools } = service.world;
  const id = optionalText(body, 'tool') ?? tools.values().next().value?.id ?? '';
  const tool = tools.get(id);
  if (tool === undefined) throw notFound('tool', id);
  const changed = actOn(service, tool, action);
  if (changed !== tool) tools.set(id, changed);
  const reason = END_REASONS[action];
  const ended = reason === undefined ? 0 : endTokens(service, reason, (token) => token.tool === id);
  return { tool: { id, status: changed.status, api_key: changed.apiKey }, ended };
}

function actOn(service: Service, tool: Tool, action: (typeof TOOL_ACTIONS)[number]): Tool {
  switch (action) {
    case 'suspend':
      return { ...tool, status: 'suspended' };
    case 'archive':
      return { ...tool, status: 'archived' };
    case 'activate':
      return { ...tool, status: 'active' };
    case 'rotate-key':
      return tool.hosted ? tool : { ...tool, apiKey: `key_${service.secret()}` };
    case 'replace-code':
      return tool;
  }
}

/** The user leaves the course: the member's tokens for it end, the rows stay. */
export function removeMember(service: Service, id: string): object {
  const member = service.world.members.get(id);
  if (member === undefined) throw notFound('member', id);
  service.world.members.set(id, { ...member, left: true });
  const isTheirs = (token: { user: string; course: string }): boolean =>
    token.user === member.user && token.course === member.course;
  return { ended: endTokens(service, 'left the course', isTheirs) };
}

/** Ends one token by hand; 0 where it had ended already. */
export function endToken(service: Service, text: string): object {
  if (!service.tokens.has(text)) throw notFound('such token was issued here', '');
  return { ended: endTokens(service, 'ended by hand', ({ token }) => token === text) };
}
