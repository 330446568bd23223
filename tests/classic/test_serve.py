"""``stoker serve --plugin-dir``: a plugin's type through the API of a running process."""

from __future__ import annotations

from pathlib import Path

from tests.app.serving import Serving, created
from tests.classic.conftest import IMPORTS, MAPPING, written

TEMPLATE = """
heat_template_version: 2018-08-31
resources:
  image: {type: My::Found, properties: {image: cirros-0.6.2-x86_64-disk}}
  it:
    type: My::Resource
    properties: {name: web, flavor: '42', image: {get_resource: image}}
"""
FINDING = """
from heat.engine import properties, resource


class Found(resource.Resource):
    properties_schema = {"image": properties.Schema(properties.Schema.STRING, required=True)}

    def handle_create(self):
        plugin = self.client_plugin("glance")
        return plugin.find_image_by_name_or_id(self.properties["image"])


def resource_mapping():
    return {"My::Found": Found}
"""


def test_a_stack_of_a_plugins_type_is_created_and_a_broken_plugin_is_told(
    tmp_path: Path, plugin_dir: Path, listing: str
) -> None:
    written(plugin_dir, "listing", IMPORTS + listing + MAPPING)
    written(plugin_dir, "found", FINDING)
    written(plugin_dir, "broken", "import nothing_of_this_name\n")
    serving = Serving(tmp_path / "state", "--plugin-dir", str(plugin_dir))
    try:
        created(serving.endpoint, "first", TEMPLATE)
        assert serving.stop() == 0
        log = (serving.state / "stoker.log").read_text(encoding="utf-8")
        assert f"No module named 'nothing_of_this_name' ({plugin_dir / 'broken.py'}:1:1)" in log
    finally:
        serving.close()
