"""llm, with the class of the models that its configuration marks with responses: true."""

from llm.default_plugins.openai_models import Responses

from llm_kit import serve_class

serve_class(Responses, supports_tools=True)
