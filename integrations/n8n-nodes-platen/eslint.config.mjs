import { config } from '@n8n/node-cli/eslint';

// n8n verifies packages under the MIT license alone. This one has that of its repository.
export default [...config, { files: ['package.json'], rules: { 'n8n-nodes-base/community-package-json-license-not-default': 'off' } }];
