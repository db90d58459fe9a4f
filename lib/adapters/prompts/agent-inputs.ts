/** Inputs of a managed agent, in the form of a tool's inputs. */
export const AGENT_INPUTS = {
  task: { type: 'string', description: 'Long and detailed description of the task.' },
  additional_args: {
    type: 'object',
    nullable: true,
    description: 'Additional inputs for the team member, by name: images, tables, any other context.',
  },
};
